"""What schemathesis needs to know about Cairn beyond the OpenAPI document."""

import schemathesis

for media_type in ("application/offset+octet-stream", "application/vnd.ipfs.ipns-record"):
    schemathesis.serializer.alias(media_type, "application/octet-stream")


@schemathesis.check
def no_internal_error(ctx, response, case):
    """A status of 5xx may be the answer that a client expects; this code never is."""
    codes = response.headers.get("x-cairn-code", [])
    assert "INTERNAL" not in codes, "the service failed"
