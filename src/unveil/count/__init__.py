"""How many people have which keys and values? Codes, cells and the profile of Raab's Appendix 1."""
