"""Other libraries' own tests, run with our functions in the place of theirs."""
