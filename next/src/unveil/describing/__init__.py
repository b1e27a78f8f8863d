"""What custodians bring: columns, roles, codes, differences between files; samples."""
