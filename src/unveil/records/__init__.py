"""What results hold: frozen records, with no data library."""
