package tracing

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/spf13/pflag"
)

// Settings says whether requests are traced, and where their spans are sent.
type Settings struct {
	// Endpoint is the URL to which spans are sent (OTLP over HTTP); nil if nothing is traced.
	Endpoint *url.URL
	// Sample is the fraction of the requests that are traced, from 0 to 1. The gateway decides; what follows within
	// the exchange adheres to its decision.
	Sample float64
	// FollowCallers has the gateway adhere to the decision of a caller that sends one (W3C trace context).
	FollowCallers bool
}

// defaultSample is the default of Sample.
const defaultSample = 0.1

// tracesPath is the path at which collectors take spans, for an endpoint that has none.
const tracesPath = "/v1/traces"

// Register declares the settings.
func (s *Settings) Register(flags *pflag.FlagSet) {
	s.Sample = defaultSample
	flags.Var(&endpoint{&s.Endpoint}, "trace-endpoint",
		"URL of a collector of traces (OTLP over HTTP), such as http://collector:4318; nothing is traced if not given")
	flags.Var(&fraction{&s.Sample}, "trace-sample",
		"fraction of the requests that are traced, from 0 to 1; the gateway decides")
	flags.BoolVar(&s.FollowCallers, "trace-follow-callers", false,
		"trace the requests whose callers say so in traceparent, and not those of callers that say they are not traced")
}

type endpoint struct{ value **url.URL }

func (e *endpoint) String() string {
	if e.value == nil || *e.value == nil {
		return ""
	}
	return (*e.value).Redacted()
}

func (e *endpoint) Type() string { return "URL" }

// Set sets the URL. Its errors do not show the URL, which may hold a password.
func (e *endpoint) Set(text string) error {
	if text == "" {
		*e.value = nil
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("give an http or https URL, such as http://collector:4318")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = tracesPath
	}
	*e.value = u
	return nil
}

type fraction struct{ value *float64 }

func (f *fraction) String() string {
	if f.value == nil {
		return ""
	}
	return strconv.FormatFloat(*f.value, 'g', -1, 64)
}

func (f *fraction) Type() string { return "fraction" }

func (f *fraction) Set(text string) error {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value >= 0 && value <= 1) {
		return fmt.Errorf("%q is not allowed; give a number from 0 to 1", text)
	}
	*f.value = value
	return nil
}
