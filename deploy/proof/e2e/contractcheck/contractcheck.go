// Package contractcheck compares requests and responses with the OpenAPI document, for tests. The document must
// describe everything that the exchange returns, and allow everything that it accepts.
package contractcheck

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

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

// Transport returns a transport that fails the test for every request or response that breaks the document.
func Transport(t testing.TB, next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, broken, err := roundTrip(next, request)
		if broken != nil {
			t.Error(broken)
		}
		return response, err
	})
}

// Strict returns a transport that returns an error in place of a response that breaks the document.
func Strict(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, broken, err := roundTrip(next, request)
		if broken != nil {
			return nil, broken
		}
		return response, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// roundTrip sends a request and checks the response. broken is an error if either breaks the document.
func roundTrip(next http.RoundTripper, request *http.Request) (response *http.Response, broken, err error) {
	d, err := published()
	if err != nil {
		return nil, nil, err
	}
	// The body is read whole before it is sent: a server may respond before it has read all of it, and the transport
	// then goes on sending while the response is checked.
	var sent []byte
	if request.Body != nil {
		if sent, err = io.ReadAll(request.Body); err != nil {
			return nil, nil, err
		}
		if err := request.Body.Close(); err != nil {
			return nil, nil, err
		}
		request = request.Clone(request.Context())
		request.Body = io.NopCloser(bytes.NewReader(sent))
	}
	if response, err = next.RoundTrip(request); err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, err
	}
	if err := response.Body.Close(); err != nil {
		return nil, nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if err := d.check(request, sent, response, body); err != nil {
		broken = fmt.Errorf("%s %s with the response %d breaks the OpenAPI document: %w\nsent %s\nreceived %s",
			request.Method, request.URL, response.StatusCode, err, short(sent), short(body))
	}
	return response, broken, nil
}

func short(text []byte) []byte {
	const most = 600
	return text[:min(len(text), most)]
}
