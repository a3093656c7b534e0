# Needs the environment of the README's test command, and, but for `types`, `audit`, `sbom`, `digests`
# and, at first, `docs`, no network; those five say so where they cannot have it.

.PHONY: audit digests dist docs nightly pictures placeholders reference release sbom tiles types

build/tools:  # what audit and sbom run, apart from the app's environment
	@python3 -m venv $@ && $@/bin/pip install --quiet pip-audit cyclonedx-bom \
	  || { rm -rf $@; echo 'pip-audit and cyclonedx-bom cannot be had: is there a network?'; exit 1; }

audit: | build/tools  # known faults of the pinned packages
	@build/tools/bin/pip-audit --strict --disable-pip --require-hashes \
	  -r requirements.lock -r hosting/rooms.lock \
	  || { echo 'Faults were found, or nobody could be asked: above is which.'; exit 1; }

sbom: | build/tools  # what the image installs, as CycloneDX
	@cat requirements.lock hosting/rooms.lock \
	  | build/tools/bin/cyclonedx-py requirements - -o build/sbom.json
	@echo build/sbom.json

digests:  # of the images that the Dockerfile begins with, into it: the same bytes at each build
	.venv/bin/python -m hosting.digests

dist:  # the source archive and the wheel
	rm -rf dist
	.venv/bin/hatchling build

build/mkdocs: requirements-docs.lock  # what docs are made by, apart from the app's environment
	@python3 -m venv --clear $@ && $@/bin/pip install --quiet --require-hashes -r $< \
	  || { rm -rf $@; echo 'mkdocs cannot be had: is there a network?'; exit 1; }

docs: reference | build/mkdocs  # all documents and the reference, as one site in build/docs; no link leads nowhere
	rm -rf build/pages && mkdir -p build/pages/assets
	cp -r docs *.md CITATION.cff LICENSE build/reference build/pages
	cp -r assets/LICENSES.md assets/examples assets/images assets/prose assets/schemas build/pages/assets
	rm build/pages/assets/prose/*.md && cp assets/prose/lectures.md build/pages/assets/prose
	build/mkdocs/bin/mkdocs build --quiet
	@echo build/docs/index.html

nightly: types  # all examples of all tests, in a browser and behind a proxy, and in Firefox and WebKit
	HYPOTHESIS_PROFILE=nightly .ci/run
	.ci/ring

pictures:  # of README and docs, but for the one of a room
	.venv/bin/python -m benchmarks.pictures assets/images

reference:  # of the public core, as HTML
	.venv/bin/python -m dpviz reference -o build/reference

release:  # make release VERSION=0.2.0 [SITE=https://github.com/OWNER/NAME]: version, changelog, citation, tag, archives, checksums
	.venv/bin/python -m hosting.release $(VERSION) $(if $(SITE),--site $(SITE))

placeholders:  # the places of figures that no server has drawn yet
	.venv/bin/python -m benchmarks.placeholders assets/placeholders.json

tiles:  # the small pictures of the home page
	.venv/bin/python -m benchmarks.tiles assets/tiles

types:  # of the browser's modules, and of the library as pyright reads it; npm brings both checkers
	npx --yes --package typescript@5.9.3 tsc --project dpviz/scripts/jsconfig.json
	npx --yes --package pyright@1.1.407 pyright --pythonpath .venv/bin/python tests/typed
