// Package load sends requests to a server and measures what that costs, slice by slice.
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
}

// Client sends requests to one server, with a token and over connections that it keeps open.
type Client struct {
	HTTP  *fasthttp.HostClient
	Token string
}

// Dial returns a client that sends a token. The client connects when it sends.
func Dial(address, token string, connections int) *Client {
	return &Client{Token: token, HTTP: &fasthttp.HostClient{
		Addr: address, MaxConns: connections, MaxIdleConnDuration: time.Minute,
		ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
	}}
}

// Send sends a request and reads the whole response.
func (c *Client) Send(to Call, request *fasthttp.Request, response *fasthttp.Response) error {
	c.Fill(to, request)
	return c.HTTP.Do(request, response)
}

// Fill makes a request of a call.
func (c *Client) Fill(to Call, request *fasthttp.Request) {
	request.Reset()
	request.Header.SetMethod(to.Method)
	request.SetRequestURI(to.Path)
	request.Header.SetHost(c.HTTP.Addr)
	request.Header.Set("Authorization", "Bearer "+c.Token)
	if to.Body != nil {
		request.Header.SetContentType("application/json")
		request.SetBodyRaw(to.Body)
	}
}

// Create makes a record and returns its JSON members that are strings.
func (c *Client) Create(resource string, body []byte) (map[string]string, error) {
	var request fasthttp.Request
	var response fasthttp.Response
	err := c.Send(Call{fasthttp.MethodPost, "/" + resource, body}, &request, &response)
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
