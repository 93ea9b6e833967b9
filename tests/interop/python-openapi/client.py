"""Uploads a text, lists it, reads the usage and deletes it with the client that is generated from docs/openapi.json."""

import json
import os
from io import BytesIO

from cairn_client import AuthenticatedClient
from cairn_client.api.accounts import get_data_usage
from cairn_client.api.files import delete_file, list_files
from cairn_client.api.uploads import add_files
from cairn_client.models import AddFilesBody
from cairn_client.types import File

client = AuthenticatedClient(base_url=os.environ["CAIRN_API"], token=os.environ["CAIRN_API_KEY"])
before = list_files.sync(client=client)
text = File(payload=BytesIO(b"hello world"), file_name="hello.txt")
added = add_files.sync(client=client, body=AddFilesBody(file=[text]))
listed = list_files.sync(client=client)
usage = get_data_usage.sync(client=client)
deleted = delete_file.sync(client=client, id=listed.file_list[0].id)
after = list_files.sync(client=client)

stranger = AuthenticatedClient(base_url=os.environ["CAIRN_API"], token="wrong")
refused = list_files.sync_detailed(client=stranger)

print(
    json.dumps(
        {
            "before": int(before.total_files),
            "cid": added.hash_,
            "listed": [[file.file_name, file.cid, file.created_at] for file in listed.file_list],
            "used": int(usage.data_used),
            "deleted": deleted.message,
            "after": int(after.total_files),
            "refused": [refused.status_code.value, refused.headers["X-Cairn-Code"]],
        }
    )
)
