package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/flatten/allof"
)

// readOpenAPI reads an OpenAPI document. The parts of a schema (allOf) are merged into one, so that a member is found
// whichever part has it.
func readOpenAPI(text []byte) (*openapi3.T, error) {
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err == nil && (document.Info == nil || document.Paths.Len() == 0) {
		err = errors.New("it has no version or no paths")
	}
	if err != nil {
		return nil, err
	}
	return allof.MergeSpec(document)
}

// messages is an AsyncAPI document, as far as it is compared.
type messages struct {
	Info     json.RawMessage `json:"info"`
	Channels map[string]struct {
		Address  string `json:"address"`
		Messages map[string]struct {
			ContentType string          `json:"contentType"`
			Payload     json.RawMessage `json:"payload"`
			Bindings    struct {
				Kafka struct {
					Key struct {
						Member string `json:"x-member"`
					} `json:"key"`
				} `json:"kafka"`
			} `json:"bindings"`
		} `json:"messages"`
	} `json:"channels"`
	Components json.RawMessage `json:"components"`
}

type object = map[string]any

// readMessages reads an AsyncAPI document as an OpenAPI document in which each message is both the body of a request
// and of a response. While a service is rolled, processes of both releases send messages and receive those of the
// other, so what would break a caller of either kind breaks them. The topic and the key of a message are the path.
func readMessages(text []byte) (*openapi3.T, error) {
	var read messages
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, err
	}
	paths := object{}
	for name, c := range read.Channels {
		for message, m := range c.Messages {
			if c.Address == "" || len(m.Payload) == 0 || m.Bindings.Kafka.Key.Member == "" {
				return nil, fmt.Errorf("the message %s of the channel %s has no topic, payload or key", message, name)
			}
			content := object{m.ContentType: object{"schema": m.Payload}}
			paths[fmt.Sprintf("/%s/%s/by/%s", c.Address, message, m.Bindings.Kafka.Key.Member)] = object{"post": object{
				"operationId": message,
				"requestBody": object{"required": true, "content": content},
				"responses": object{fmt.Sprint(http.StatusOK): object{"description": "The same message, received.",
					"content": content}},
			}}
		}
	}
	document, err := json.Marshal(object{"openapi": "3.1.0", "info": read.Info, "paths": paths,
		"components": read.Components})
	if err != nil {
		return nil, err
	}
	return readOpenAPI(document)
}
