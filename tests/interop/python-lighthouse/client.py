"""Calls of the published Python client of Lighthouse, with the addresses of the service that it is given."""

import io
import os
import sys

from eth_account import Account
from eth_account.messages import encode_defunct
from lighthouseweb3 import Lighthouse
from lighthouseweb3.functions.config import Config
import requests

api, upload, gateway, private_key, folder = sys.argv[1:]
Config.lighthouse_api = api
Config.lighthouse_node = upload
Config.lighthouse_gateway = f"{gateway}/ipfs"


def passed(name):
    print(name, flush=True)


def same(found, expected):
    if found != expected:
        raise AssertionError(f"{found!r} is not {expected!r}")


account = Account.from_key(private_key)
message = requests.get(f"{api}/api/auth/get_auth_message?publicKey={account.address}").json()
assert "Please prove you are the owner" in message


def sign(text):
    signature = account.sign_message(encode_defunct(text=text)).signature.hex()
    return signature if signature.startswith("0x") else f"0x{signature}"


key = Lighthouse.getApiKey(account.address, sign(message))["data"]["apiKey"]
assert isinstance(Lighthouse.getApiKey(account.address, sign("another text"))["error"], dict)
passed("API key")

client = Lighthouse(key)
stranger = Lighthouse("invalid_token")
balance = client.getBalance()
assert isinstance(balance["dataLimit"], int) and isinstance(balance["dataUsed"], int)
assert "authentication failed" in str(stranger.getBalance()).lower()
passed("balance")

content = os.urandom(100_000)
with open(f"{folder}/file.bin", "wb") as file:
    file.write(content)
of_path = client.upload(f"{folder}/file.bin")["data"]
with open(f"{folder}/file.bin", "rb") as file:
    of_reader = client.upload(file)["data"]
same(of_reader["Hash"], of_path["Hash"])
same((of_path["Name"], of_path["Size"]), ("file.bin", "100000"))
same(client.uploadBlob(io.BytesIO(b"a blob"), "blob.txt")["data"]["Name"], "blob.txt")
passed("upload")

os.makedirs(f"{folder}/tree/sub")
for name, text in {"a.txt": "a", "sub/b ü.txt": "b"}.items():
    with open(f"{folder}/tree/{name}", "w") as file:
        file.write(text)
root = client.upload(f"{folder}/tree")["data"]
same(root["Name"], "tree")
same(requests.get(f"{gateway}/ipfs/{root['Hash']}/sub/b ü.txt").text, "b")
same(requests.get(f"{gateway}/ipfs/{root['Hash']}/a.txt").text, "a")
passed("folder")

body, content_type = client.download(of_path["Hash"])
same((body, content_type), (content, "application/octet-stream"))
with open(f"{folder}/back.bin", "wb+") as file:
    same(client.downloadBlob(file, of_path["Hash"], 1000)["data"]["Size"], len(content))
with open(f"{folder}/back.bin", "rb") as file:
    same(file.read(), content)
passed("download")

uploads = client.getUploads()
same(uploads["totalFiles"], len(uploads["fileList"]))
last = uploads["fileList"][0]["id"]
same(len(client.getUploads(last)["fileList"]), uploads["totalFiles"] - 1)
try:
    stranger.getUploads()
    raise AssertionError("a wrong key lists uploads")
except Exception as error:
    assert "authentication failed" in str(error).lower(), error
same(client.getFileInfo(of_path["Hash"])["fileName"], "file.bin")
same(client.getFileInfo("QmT9shXpKcn4HRbJhXJ1ZywzwjEo2QWbxAx4SVgW4eYKjG")["error"]["message"], "Not Found")
assert isinstance(client.getDealStatus(of_path["Hash"]), list)
passed("listing")

same(client.getTagged("of a program"), {"data": None})
first = client.uploadBlob(io.BytesIO(b"first"), "first.txt", "of a program")["data"]
same(client.getTagged("of a program")["data"], {"tag": "of a program", "cid": first["Hash"]})
second = client.upload(f"{folder}/file.bin", "of a program")["data"]
same(client.getTagged("of a program")["data"]["cid"], second["Hash"])
passed("tags")

name = client.generateKey()["data"]
published = client.publishRecord(of_path["Hash"], name["ipnsName"])["data"]
same(published["Value"], f"/ipfs/{of_path['Hash']}")
record = next(one for one in client.getAllKeys()["data"] if one["ipnsName"] == name["ipnsName"])
same((record["cid"], record["ipnsId"]), (of_path["Hash"], name["ipnsId"]))
assert isinstance(record["publicKey"], str) and isinstance(record["lastUpdate"], int)
same(client.publishRecord("invalid_cid", name["ipnsName"])["error"][0]["message"], "Invalid CID")
for answer in (
    client.publishRecord(of_path["Hash"], "invalid_key_name"),
    client.removeKey("invalid_key_name"),
):
    same(answer["error"][0]["message"], "Something went wrong.")
removed = client.removeKey(name["ipnsName"])["data"]["Keys"][0]
same((removed["Name"], removed["Id"]), (name["ipnsName"], name["ipnsId"]))
passed("names")

wallet = Lighthouse.createWallet("a password")
same(f"0x{wallet['address']}".lower(), Account.from_key(Account.decrypt(wallet, "a password")).address.lower())
passed("wallet")
