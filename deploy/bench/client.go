package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"
)

// call is one request.
type call struct {
	method, path string
	body         []byte // JSON; nil for none
}

// client sends requests to one server, with a token and over connections that it keeps open.
type client struct {
	http  *fasthttp.HostClient
	token string
}

// dial returns a client that sends a token. The client connects when it sends.
func dial(address, token string, connections int) *client {
	return &client{token: token, http: &fasthttp.HostClient{
		Addr: address, MaxConns: connections, MaxIdleConnDuration: time.Minute,
		ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
	}}
}

// send sends a request and reads the whole response.
func (c *client) send(to call, request *fasthttp.Request, response *fasthttp.Response) error {
	c.fill(to, request)
	return c.http.Do(request, response)
}

// fill makes a request of a call.
func (c *client) fill(to call, request *fasthttp.Request) {
	request.Reset()
	request.Header.SetMethod(to.method)
	request.SetRequestURI(to.path)
	request.Header.SetHost(c.http.Addr)
	request.Header.Set("Authorization", "Bearer "+c.token)
	if to.body != nil {
		request.Header.SetContentType("application/json")
		request.SetBodyRaw(to.body)
	}
}

// create makes a record and returns its JSON members that are strings.
func (c *client) create(resource string, body []byte) (map[string]string, error) {
	var request fasthttp.Request
	var response fasthttp.Response
	err := c.send(call{fasthttp.MethodPost, "/" + resource, body}, &request, &response)
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
