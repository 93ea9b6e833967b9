// Uploads a text, lists it, reads the usage and deletes it with the client that is generated from docs/openapi.json.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log"
	"mime/multipart"
	"net/http"
	"os"

	"cairn/interop/openapi/cairn"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func open(key string) *cairn.ClientWithResponses {
	bearer := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	return must(cairn.NewClientWithResponses(os.Getenv("CAIRN_API"), cairn.WithRequestEditorFn(bearer)))
}

func main() {
	ctx := context.Background()
	client := open(os.Getenv("CAIRN_API_KEY"))
	before := must(client.ListFilesWithResponse(ctx, &cairn.ListFilesParams{})).JSON200

	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	must(must(form.CreateFormFile("file", "hello.txt")).Write([]byte("hello world")))
	if err := form.Close(); err != nil {
		log.Fatal(err)
	}
	answer := must(client.AddFilesWithBodyWithResponse(ctx, &cairn.AddFilesParams{}, form.FormDataContentType(), &body))
	added := must(answer.JSON200.AsAddFiles200JSONResponseBody0())

	listed := must(client.ListFilesWithResponse(ctx, &cairn.ListFilesParams{})).JSON200
	files := [][]any{}
	for _, file := range listed.FileList {
		files = append(files, []any{file.FileName, file.Cid, int64(file.CreatedAt)})
	}
	usage := must(client.GetDataUsageWithResponse(ctx)).JSON200
	deleted := must(client.DeleteFileWithResponse(ctx, &cairn.DeleteFileParams{Id: &listed.FileList[0].Id})).JSON200
	after := must(client.ListFilesWithResponse(ctx, &cairn.ListFilesParams{})).JSON200
	refused := must(open("wrong").ListFilesWithResponse(ctx, &cairn.ListFilesParams{}))

	must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"before":  before.TotalFiles,
		"cid":     added.Hash,
		"listed":  files,
		"used":    usage.DataUsed,
		"deleted": deleted.Message,
		"after":   after.TotalFiles,
		"refused": []any{refused.StatusCode(), refused.HTTPResponse.Header.Get("X-Cairn-Code")},
	}))
}
