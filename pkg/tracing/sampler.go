package tracing

import (
	"fmt"
	"math/rand/v2"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// chance samples a fraction of the requests at random. The sampler of the SDK decides by the trace id, which a caller
// may choose, and so could have everything recorded.
type chance float64

// ShouldSample decides whether a span is recorded.
func (c chance) ShouldSample(about sdktrace.SamplingParameters) sdktrace.SamplingResult {
	result := sdktrace.SamplingResult{Tracestate: trace.SpanContextFromContext(about.ParentContext).TraceState()}
	if rand.Float64() < float64(c) {
		result.Decision = sdktrace.RecordAndSample
	}
	return result
}

// Description names the sampler in the log of the SDK.
func (c chance) Description() string { return fmt.Sprintf("chance{%g}", float64(c)) }
