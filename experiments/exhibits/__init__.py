"""Published tables and figures, one a file. A file whose name begins with an underscore serves the others."""
