"""What a reader takes along: links, files, figures."""
