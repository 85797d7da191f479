"""One room for each page of the book: what it computes, how it is checked, what it draws."""
