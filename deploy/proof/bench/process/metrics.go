package process

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Metrics are those of a process, by name.
type Metrics map[string]*dto.MetricFamily

// scraper asks for metrics. A response that is compressed would cost the process more.
var scraper = http.Client{Transport: &http.Transport{DisableCompression: true}}

// Scrape asks the process with an admin address for metrics of these names.
func Scrape(ctx context.Context, admin string, names ...string) (Metrics, error) {
	at := url.URL{Scheme: "http", Host: admin, Path: "/metrics", RawQuery: url.Values{"name[]": names}.Encode()}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	response, err := scraper.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: status %d", at.String(), response.StatusCode)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	all, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", at.String(), err)
	}
	for _, name := range names {
		if all[name] == nil {
			return nil, fmt.Errorf("GET %s: there is no metric %s", at.String(), name)
		}
	}
	return all, nil
}

// Sum returns the sum of the values of a metric with these labels. The value of a histogram is its count.
func (m Metrics) Sum(name string, labels map[string]string) (total float64) {
	for _, metric := range m[name].GetMetric() {
		matching := 0
		for _, label := range metric.GetLabel() {
			if want, asked := labels[label.GetName()]; asked && want == label.GetValue() {
				matching++
			}
		}
		if matching == len(labels) {
			total += metric.GetCounter().GetValue() + metric.GetGauge().GetValue() +
				float64(metric.GetHistogram().GetSampleCount())
		}
	}
	return total
}

// Label returns the value of a label of a metric that has one value.
func (m Metrics) Label(name, label string) string {
	for _, metric := range m[name].GetMetric() {
		for _, pair := range metric.GetLabel() {
			if pair.GetName() == label {
				return pair.GetValue()
			}
		}
	}
	return ""
}
