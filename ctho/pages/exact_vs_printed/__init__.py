"""What Eq. (18) as printed changes in each figure."""
