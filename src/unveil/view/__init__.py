"""How records are shown: sentences, terminal, notebook and page. Records only: no data library."""
