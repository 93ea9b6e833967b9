// Reads rendered objects from standard input and decodes each into the type that the Kubernetes API has for it. A field
// that the API does not know, a field of the wrong type, or an unknown kind ends it with a message.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

var types = map[string]func() any{
	"apps/v1 Deployment":                 func() any { return &apps.Deployment{} },
	"apps/v1 StatefulSet":                func() any { return &apps.StatefulSet{} },
	"v1 Service":                         func() any { return &core.Service{} },
	"networking.k8s.io/v1 Ingress":       func() any { return &networking.Ingress{} },
	"networking.k8s.io/v1 NetworkPolicy": func() any { return &networking.NetworkPolicy{} },
	"policy/v1 PodDisruptionBudget":      func() any { return &policy.PodDisruptionBudget{} },
}

type head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
}

func main() {
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail(err)
	}
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(input)))
	names := []string{}
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fail(err)
		}
		var object head
		if err := strict.Unmarshal(document, &object); err != nil {
			fail(err)
		}
		if object.Kind == "" {
			continue
		}
		name := object.APIVersion + " " + object.Kind
		create, known := types[name]
		if !known {
			fail(fmt.Errorf("%s %s: no type for it", name, object.Metadata.Name))
		}
		if err := strict.UnmarshalStrict(document, create()); err != nil {
			fail(fmt.Errorf("%s %s: %w", name, object.Metadata.Name, err))
		}
		names = append(names, object.Kind+"/"+object.Metadata.Name)
	}
	if err := json.NewEncoder(os.Stdout).Encode(names); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
