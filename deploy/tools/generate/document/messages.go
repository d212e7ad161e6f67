package document

import (
	"errors"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/contracts/valuesets"
)

// AsyncAPI is an AsyncAPI 3 document, as far as the exchange has use for it.
type AsyncAPI struct {
	AsyncAPI   string             `json:"asyncapi"`
	Info       *openapi3.Info     `json:"info"`
	Channels   map[string]channel `json:"channels"`
	Components asyncComponents    `json:"components"`
}

type channel struct {
	Address  string             `json:"address"`
	Messages map[string]message `json:"messages"`
}

type message struct {
	ContentType string              `json:"contentType"`
	Payload     *openapi3.SchemaRef `json:"payload"`
	Bindings    bindings            `json:"bindings"`
}

// bindings say what is peculiar to Kafka: the key of a record, which is a member of its message.
type bindings struct {
	Kafka struct {
		Key struct {
			Type   string `json:"type"`
			Member string `json:"x-member"`
		} `json:"key"`
	} `json:"kafka"`
}

type asyncComponents struct {
	Schemas openapi3.Schemas `json:"schemas"`
}

// Messages returns the document of the messages that one service sends over Kafka. root is as for Build. Messages
// returns an error for a type or a member without a description, and for a type without a schema.
func Messages(c events.Contract, root string) (*AsyncAPI, error) {
	d := &AsyncAPI{
		AsyncAPI: "3.0.0",
		Info: &openapi3.Info{
			Title: "Messages of " + c.Service, Version: c.Version, Description: c.About,
			License: &openapi3.License{Name: "Apache-2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0"},
		},
		Channels: map[string]channel{},
	}
	s := newSchemas(valuesets.Published(), root)
	for _, of := range c.Channels {
		m := message{ContentType: "application/json", Payload: s.of(of.Message, false)}
		m.Bindings.Kafka.Key.Type, m.Bindings.Kafka.Key.Member = "string", of.Key
		d.Channels[of.Name] = channel{Address: of.Topic, Messages: map[string]message{of.Message.Name(): m}}
	}
	d.Components.Schemas = s.all
	return d, errors.Join(s.failure(nil))
}
