# Needs the environment of the README's test command, and, but for `types`, no network.

.PHONY: dist pictures reference release tiles types

dist:  # the source archive and the wheel
	rm -rf dist
	.venv/bin/hatchling build

pictures:  # of README and docs, but for the one of a room
	.venv/bin/python -m benchmarks.pictures

reference:  # of the public core, as HTML
	.venv/bin/python -m dpviz reference -o build/reference

release:  # make release VERSION=0.2.0: version, changelog, citation, tag, archives, checksums
	.venv/bin/python -m hosting.release $(VERSION)

tiles:  # the small pictures of the home page
	.venv/bin/python -m benchmarks.tiles

types:  # of the browser's modules; npm brings the compiler
	npx --yes --package typescript@5.9.3 tsc --project dpviz/scripts/jsconfig.json
