// Package load sends requests to a server and measures what that costs, slice by slice. One generator serves all rows:
// callers that ask again at once, and requests that are due at a rate. fasthttp sends the requests. Of the kept
// generators, fortio times a request from when it is sent and not from when it was due, and vegeta sends with net/http,
// which takes more of the cores that the exchange shares.
package load

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"
)

// Call is one request.
type Call struct {
	Method, Path string
	Body         []byte // JSON; nil for none
	// Header and Value are one more header; "" for none.
	Header, Value string
}

// Client sends requests to one server, with a token if it has one, and over connections that it keeps open.
type Client struct {
	HTTP  *fasthttp.HostClient
	Token string
}

// Dial returns a client that sends a token. The client connects when it sends.
func Dial(address, token string, connections int) *Client {
	return &Client{Token: token, HTTP: &fasthttp.HostClient{
		Addr: address, MaxConns: connections, MaxIdleConnDuration: time.Minute,
		ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
		MaxIdemponentCallAttempts: 1, // what is repeated would not be counted
	}}
}

// Send sends a request and reads the whole response.
func (c *Client) Send(to Call) (*fasthttp.Response, error) {
	var request fasthttp.Request
	var response fasthttp.Response
	c.Fill(to, &request)
	return &response, c.HTTP.Do(&request, &response)
}

// Fill makes a request of a call.
func (c *Client) Fill(to Call, request *fasthttp.Request) {
	request.Reset()
	request.Header.SetMethod(to.Method)
	request.SetRequestURI(to.Path)
	request.Header.SetHost(c.HTTP.Addr)
	if c.HTTP.IsTLS {
		request.URI().SetScheme("https")
	}
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if to.Body != nil {
		request.Header.SetContentType("application/json")
		request.SetBodyRaw(to.Body)
	}
	if to.Header != "" {
		request.Header.Set(to.Header, to.Value)
	}
}

// Create makes a record and returns its JSON members that are strings.
func (c *Client) Create(resource string, body []byte) (map[string]string, error) {
	response, err := c.Send(Call{Method: fasthttp.MethodPost, Path: "/" + resource, Body: body})
	if err != nil {
		return nil, err
	}
	if status := response.StatusCode(); status != fasthttp.StatusCreated && status != fasthttp.StatusOK {
		return nil, fmt.Errorf("POST /%s: status %d: %s", resource, response.StatusCode(), response.Body())
	}
	var members map[string]any
	if err := json.Unmarshal(response.Body(), &members); err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for name, value := range members {
		if text, is := value.(string); is {
			texts[name] = text
		}
	}
	return texts, nil
}
