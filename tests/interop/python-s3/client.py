"""Uses boto3 as applications do, and prints one line for each step that worked."""

import hashlib
import io
import os
import sys
import urllib.request

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError

endpoint, access_key_id, secret_access_key = sys.argv[1:4]


def open_client(signature_version):
    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id=access_key_id,
        aws_secret_access_key=secret_access_key,
        config=Config(signature_version=signature_version, retries={"max_attempts": 1}),
    )


s3 = open_client("s3v4")
bucket = "from-python"


def passed(step):
    print(step, flush=True)


def read(key, **more):
    return s3.get_object(Bucket=bucket, Key=key, **more)["Body"].read()


def code_of(run):
    try:
        run()
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


s3.create_bucket(Bucket=bucket)
assert [one["Name"] for one in s3.list_buckets()["Buckets"]].count(bucket) == 1
passed("bucket")

large = os.urandom(17_000_000)
parts = TransferConfig(multipart_threshold=5 * 1024**2, multipart_chunksize=5 * 1024**2)
s3.upload_fileobj(io.BytesIO(large), bucket, "large.bin", Config=parts, ExtraArgs={"ContentType": "video/mp4"})
received = io.BytesIO()
s3.download_fileobj(bucket, "large.bin", received, Config=parts)
assert received.getvalue() == large
head = s3.head_object(Bucket=bucket, Key="large.bin")
assert head["ContentType"] == "video/mp4" and head["Metadata"]["cid"].startswith("baf")
passed("upload and download in parts")

s3.copy({"Bucket": bucket, "Key": "large.bin"}, bucket, "copy.bin", Config=parts)
assert hashlib.sha256(read("copy.bin")).digest() == hashlib.sha256(large).digest()
assert read("large.bin", Range="bytes=100-199") == large[100:200]
passed("copy in parts, range")

s3.put_object(Bucket=bucket, Key="small", Body=b"small", ChecksumAlgorithm="SHA256", Tagging="a=b")
assert s3.get_object_tagging(Bucket=bucket, Key="small")["TagSet"] == [{"Key": "a", "Value": "b"}]
assert s3.head_object(Bucket=bucket, Key="small", ChecksumMode="ENABLED")["ChecksumSHA256"]
passed("checksum and tags")

for number in range(25):
    s3.put_object(Bucket=bucket, Key=f"page/{number:02}", Body=b"x")
pages = list(s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix="page/", PaginationConfig={"PageSize": 10}))
assert [len(page["Contents"]) for page in pages] == [10, 10, 5]
passed("pages")

url = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "small"}, ExpiresIn=60)
assert urllib.request.urlopen(url).read() == b"small"
passed("presigned GET")


def post(form, content):
    """Sends a form as a browser does."""
    boundary = "boundary" + os.urandom(8).hex()
    lines = []
    for name, value in form["fields"].items():
        lines.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode())
    lines.append(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'.encode())
    body = b"".join(lines) + content + f"\r\n--{boundary}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    return urllib.request.urlopen(urllib.request.Request(form["url"], body, headers)).status


for version in ["s3v4", "s3"]:
    form = open_client(version).generate_presigned_post(
        bucket, f"form-{version}", Conditions=[["content-length-range", 1, 100]], ExpiresIn=60
    )
    assert post(form, b"by a form") == 204
    assert read(f"form-{version}") == b"by a form"
    try:
        post(form, b"x" * 101)
        raise AssertionError("a form beyond its limit was accepted")
    except urllib.error.HTTPError as error:
        assert error.code == 400 and b"EntityTooLarge" in error.read()
passed("browser forms")

s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
first = s3.put_object(Bucket=bucket, Key="versioned", Body=b"one")["VersionId"]
s3.put_object(Bucket=bucket, Key="versioned", Body=b"two")
assert read("versioned") == b"two" and read("versioned", VersionId=first) == b"one"
assert s3.delete_object(Bucket=bucket, Key="versioned")["DeleteMarker"]
assert code_of(lambda: read("versioned")) == "NoSuchKey"
passed("versions")

wrong = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "small", "ETag": "other"}]})
assert wrong["Errors"][0]["Code"] == "PreconditionFailed"
for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
    rows = page.get("Versions", []) + page.get("DeleteMarkers", [])
    objects = [{"Key": row["Key"], "VersionId": row["VersionId"]} for row in rows]
    assert "Errors" not in s3.delete_objects(Bucket=bucket, Delete={"Objects": objects})
s3.delete_bucket(Bucket=bucket)
assert code_of(lambda: s3.head_bucket(Bucket=bucket)) == "404"
passed("deletion of many")
