# Needs the environment of the README's test command, and no network.

.PHONY: dist reference tiles

dist:  # the source archive and the wheel
	rm -rf dist
	.venv/bin/hatchling build

reference:  # of the public core, as HTML
	.venv/bin/python -m dpviz reference -o build/reference

tiles:  # the small pictures of the home page
	.venv/bin/python -m benchmarks.tiles
