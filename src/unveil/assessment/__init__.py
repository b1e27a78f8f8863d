"""What do figures mean against limits, rulings and answers? Records only: no data library."""
