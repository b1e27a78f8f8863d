"""Files and frames as columns of levels, coded alike in every file of a study."""
