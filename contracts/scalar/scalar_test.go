package scalar_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/scalar"
)

type record struct {
	scalar.Record
	Int      *scalar.Int     `json:"int,omitzero"`
	Decimal  scalar.Decimal  `json:"decimal,omitzero"`
	Date     scalar.Date     `json:"date,omitzero"`
	DateTime scalar.DateTime `json:"dateTime,omitzero"`
	JSON     scalar.JSON     `json:"json,omitzero"`
}

func TestWhatIsReadComesBack(t *testing.T) {
	for sent, want := range map[string]string{
		`{}`: `{}`,
		`{"int":null,"decimal":null,"date":null,"dateTime":null,"json":null,"id":null}`: `{}`,
		`{"int":12}`:                   `{"int":12}`,
		`{"int":12.0}`:                 `{"int":12}`,
		`{"int":1.2e1}`:                `{"int":12}`,
		`{"int":-9223372036854775808}`: `{"int":-9223372036854775808}`,
		`{"int":0e99999}`:              `{"int":0}`,
		`{"decimal":0.10}`:             `{"decimal":0.10}`,
		`{"decimal":12345678901234567890.12345678901234567890}`: `{"decimal":12345678901234567890.12345678901234567890}`,
		`{"date":"2024-02-29"}`:                                 `{"date":"2024-02-29"}`,
		`{"dateTime":"2026-01-31T23:30:00.25-02:00"}`:           `{"dateTime":"2026-02-01T01:30:00.25Z"}`,
		`{"dateTime":"2026-01-31t12:00:00z"}`:                   `{"dateTime":"2026-01-31T12:00:00Z"}`,
		`{"id":"0192F0C1-2B3C-7D4E-8F50-0123456789AB"}`:         `{"id":"0192f0c1-2b3c-7d4e-8f50-0123456789ab"}`,
		`{"json":{"b":1.50,"a":[null]}}`:                        `{"json":{"b":1.50,"a":[null]}}`,
		`{"x":1.10,"y":{"z":null}}`:                             `{"x":1.10,"y":{"z":null}}`,
	} {
		var r record
		if err := json.Unmarshal([]byte(sent), &r); err != nil {
			t.Errorf("%s: %v", sent, err)
			continue
		}
		got, err := json.Marshal(&r)
		if err != nil || string(got) != want {
			t.Errorf("%s came back as %s (%v), want %s", sent, got, err, want)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	for _, sent := range []string{
		`{"int":1.5}`, `{"int":"1"}`, `{"int":9223372036854775808}`, `{"int":1e19}`, `{"int":1e999999999999}`, `{"int":true}`,
		`{"decimal":"1"}`, `{"decimal":true}`,
		`{"date":"2023-02-29"}`, `{"date":"2023-2-1"}`, `{"date":""}`, `{"date":20230201}`, `{"date":"2023-02-01T00:00:00Z"}`,
		`{"dateTime":"2026-01-31"}`, `{"dateTime":"2026-01-31T12:00:00"}`, `{"dateTime":"2026-02-30T12:00:00Z"}`,
		`{"dateTime":"9999-12-31T23:59:59-01:00"}`, `{"dateTime":1}`,
		`{"id":7}`,
	} {
		var r record
		if err := json.Unmarshal([]byte(sent), &r); err == nil {
			t.Errorf("%s was accepted", sent)
		}
	}
}
