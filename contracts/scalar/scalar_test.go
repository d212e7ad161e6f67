package scalar_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/scalar"
)

type record struct {
	scalar.Record
	Int      *scalar.Int     `json:"int,omitzero"`
	Integer  scalar.Integer  `json:"integer,omitzero"`
	Decimal  scalar.Decimal  `json:"decimal,omitzero"`
	Date     scalar.Date     `json:"date,omitzero"`
	DateTime scalar.DateTime `json:"dateTime,omitzero"`
	JSON     scalar.JSON     `json:"json,omitzero"`
}

func TestWhatIsReadComesBack(t *testing.T) {
	for sent, want := range map[string]string{
		`{}`: `{}`,
		`{"int":null,"decimal":null,"date":null,"dateTime":null,"json":null,"id":null}`: `{}`,
		`{"int":12}`:                       `{"int":12}`,
		`{"int":12.0}`:                     `{"int":12}`,
		`{"int":1.2e1}`:                    `{"int":12}`,
		`{"int":-9223372036854775808}`:     `{"int":-9223372036854775808}`,
		`{"int":0e99999}`:                  `{"int":0}`,
		`{"integer":-0.0}`:                 `{"integer":0}`,
		`{"integer":18446744073709551616}`: `{"integer":18446744073709551616}`,
		`{"integer":-1.5e30}`:              `{"integer":-1500000000000000000000000000000}`,
		`{"integer":1e63}`:                 `{"integer":1` + strings.Repeat("0", 63) + `}`,
		`{"decimal":0.10}`:                 `{"decimal":0.10}`,
		`{"decimal":12345678901234567890.12345678901234567890}`: `{"decimal":12345678901234567890.12345678901234567890}`,
		`{"date":"2024-02-29"}`:                                 `{"date":"2024-02-29"}`,
		`{"dateTime":"2026-01-31T23:30:00.25-02:00"}`:           `{"dateTime":"2026-02-01T01:30:00.25Z"}`,
		`{"dateTime":"2026-01-31t12:00:00z"}`:                   `{"dateTime":"2026-01-31T12:00:00Z"}`,
		`{"dateTime":"0001-01-01T00:00:00Z"}`:                   `{"dateTime":"0001-01-01T00:00:00Z"}`,
		`{"dateTime":"9999-12-31T23:59:59.999999999Z"}`:         `{"dateTime":"9999-12-31T23:59:59.999999999Z"}`,
		`{"dateTime":"2026-01-31T12:00:00.1234567890000Z"}`:     `{"dateTime":"2026-01-31T12:00:00.123456789Z"}`,
		`{"dateTime":"2026-01-31T12:00:00.5+23:59"}`:            `{"dateTime":"2026-01-30T12:01:00.5Z"}`,
		`{"dateTime":"2026-01-31T12:00:00-00:00"}`:              `{"dateTime":"2026-01-31T12:00:00Z"}`,
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
		`{"int":1.5}`, `{"int":"1"}`, `{"int":9223372036854775808}`, `{"int":1e19}`, `{"int":1e999999999999}`,
		`{"int":true}`,
		`{"integer":1.5}`, `{"integer":"1"}`, `{"integer":1e64}`, `{"integer":-1e63}`, `{"integer":1e999999999999}`,
		`{"decimal":"1"}`, `{"decimal":true}`,
		`{"date":"2023-02-29"}`, `{"date":"2023-2-1"}`, `{"date":""}`, `{"date":20230201}`,
		`{"date":"2023-02-01T00:00:00Z"}`,
		`{"dateTime":"2026-01-31"}`, `{"dateTime":"2026-01-31T12:00:00"}`, `{"dateTime":"2026-02-30T12:00:00Z"}`,
		`{"dateTime":"9999-12-31T23:59:59-01:00"}`, `{"dateTime":1}`, `{"dateTime":""}`,
		`{"dateTime":"0000-12-31T00:00:00Z"}`, `{"dateTime":"0001-01-01T00:00:00+00:01"}`,
		// What time.Parse takes and RFC 3339 does not have.
		`{"dateTime":"2026-01-31T1:00:00Z"}`, `{"dateTime":"2026-01-31T10:00:00,5Z"}`,
		`{"dateTime":"2026-01-31T10:00:00+24:00"}`,
		`{"dateTime":"2026-01-31T10:00:00+12:60"}`, `{"dateTime":"2026-01-31T10:00:00.Z"}`,
		`{"dateTime":"2026-01-31 10:00:00Z"}`,
		`{"dateTime":"2026-01-31T24:00:00Z"}`, `{"dateTime":"2026-01-31T10:60:00Z"}`,
		`{"dateTime":"2026-01-31T10:00:61Z"}`,
		`{"dateTime":"2026-01-31T10:00:00+1:00"}`, `{"dateTime":"2026-01-31T10:00:00+0100"}`,
		`{"dateTime":"2026-01-31T10:00:00 01:00"}`,
		`{"dateTime":"+2026-01-31T10:00:00Z"}`, `{"dateTime":" 2026-01-31T10:00:00Z"}`,
		`{"dateTime":"2026-01-31T10:00:00Z "}`,
		// What RFC 3339 has and an instant of ours could not keep.
		`{"dateTime":"2016-12-31T23:59:60Z"}`, `{"dateTime":"2026-01-31T12:00:00.1234567891Z"}`,
		`{"id":7}`,
	} {
		var r record
		if err := json.Unmarshal([]byte(sent), &r); err == nil {
			t.Errorf("%s was accepted", sent)
		}
	}
}

// TestWhatCannotBeReadIsNotWritten holds the round trip from the other side: no type writes what it would refuse.
func TestWhatCannotBeReadIsNotWritten(t *testing.T) {
	huge := new(big.Int).Exp(big.NewInt(10), big.NewInt(64), nil)
	for name, r := range map[string]record{
		"a year of five digits": {DateTime: scalar.Instant(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))},
		"the year 0":            {DateTime: scalar.Instant(time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC))},
		"no day":                {Date: "2023-02-29"},
		"a day of year 10000":   {Date: scalar.DateOf(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC)},
		"no number":             {Decimal: "1,5"},
		"a word":                {Decimal: "NaN"},
		"65 digits":             {Integer: scalar.IntegerOf(huge)},
		"no whole number":       {Integer: "1.5"},
		"a leading zero":        {Integer: "01"},
		"no JSON":               {JSON: scalar.JSON("{")},
	} {
		if text, err := json.Marshal(&r); err == nil {
			t.Errorf("%s was written: %s", name, text)
		}
	}
}

func TestATimeIsPresentWhateverItsValue(t *testing.T) {
	zero := scalar.Instant(time.Time{})
	if zero.IsZero() || !(scalar.DateTime{}).IsZero() {
		t.Error("the zero instant is taken for absent, or an absent one for a value")
	}
	text, err := json.Marshal(&record{DateTime: zero})
	if err != nil || string(text) != `{"dateTime":"0001-01-01T00:00:00Z"}` {
		t.Errorf("%s, %v", text, err)
	}
}
