"""The pipeline of a live shoot: any sources, one folder and one gallery."""

LIVE = """\
version: 1
name: live
sources:
{sources}
stages:
  - exif: {{}}
  - dedupe: {{}}
  - upload: {{ to: [archive, gallery] }}
targets:
  archive: {{ folder: {{ path: "{archive}" }} }}
  gallery:
    http:
      url: "http://127.0.0.1:{port}/api/assets"
      auth: studio
      digest: {{ json: sha256 }}
      find: {{ url: "http://127.0.0.1:{port}/api/assets/by-digest/{{sha256}}" }}
auth:
  studio: {{ bearer: {{ token: "${{env:FILMGATE_GALLERY_TOKEN}}" }} }}
"""
