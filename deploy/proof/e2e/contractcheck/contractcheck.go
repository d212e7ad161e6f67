// Package contractcheck compares requests and responses with the OpenAPI document, for tests. The document must
// describe everything that the exchange returns, and allow everything that it accepts.
package contractcheck

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/valuesets"
)

// published is the document with the published value sets. Each schema is compiled once, when it is first needed.
var published = sync.OnceValues(func() (*document, error) {
	text, err := openapi.Document(valuesets.Published(), "", openapi.Amounts{})
	if err != nil {
		return nil, err
	}
	return newDocument(text)
})

// Rule returns an error if a response with a body breaks a rule that is not in the document.
type Rule func(request *http.Request, response *http.Response, body []byte) error

// Strict returns a transport that returns an error in place of a response that breaks the document, or whose request
// does, or that breaks one of some further rules.
func Strict(next http.RoundTripper, further ...Rule) http.RoundTripper { return strict{next, further} }

type strict struct {
	next    http.RoundTripper
	further []Rule
}

func (s strict) RoundTrip(request *http.Request) (*http.Response, error) {
	d, err := published()
	if err != nil {
		return nil, err
	}
	var sent []byte
	// The body is read whole before it is sent: a server may respond before it has read all of it, and the transport
	// then goes on sending while the response is checked.
	if request.Body != nil {
		sent, err = io.ReadAll(request.Body)
		if err = errors.Join(err, request.Body.Close()); err != nil {
			return nil, err
		}
		request = request.Clone(request.Context())
		request.Body = io.NopCloser(bytes.NewReader(sent))
	}
	response, err := s.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if err = d.check(request, sent, response, body); err != nil {
		err = fmt.Errorf("it breaks the OpenAPI document: %w", err)
	}
	for _, rule := range s.further {
		err = cmp.Or(err, rule(request, response, body))
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s with the response %d: %w\nsent %s\nreceived %v %s", request.Method,
			request.URL, response.StatusCode, err, short(sent), response.Header, short(body))
	}
	return response, nil
}

func short(text []byte) []byte {
	const most = 600
	return text[:min(len(text), most)]
}
