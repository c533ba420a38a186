"""`recollect ui`: local pages about what the memory knows, does and did."""
