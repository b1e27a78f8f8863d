"""The steps of recoding by hand: bands, merged levels, top codes, outliers."""
