package bsonjson

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// TestForm holds the BSON that other programs read, and that the text comes back.
func TestForm(t *testing.T) {
	for text, want := range map[string]string{
		`{"premium":420.50,"count":3}`:  `{"premium":{"$numberDecimal":"420.50"},"count":{"$numberLong":"3"}}`,
		`{"b":[1,"x",null,[]],"a":{}}`:  `{"b":[{"$numberLong":"1"},"x",null,[]],"a":{}}`,
		`[true,false]`:                  `[true,false]`,
		`9223372036854775807`:           `{"$numberLong":"9223372036854775807"}`,
		`-9223372036854775808`:          `{"$numberLong":"-9223372036854775808"}`,
		`9223372036854775808`:           `{"$numberDecimal":"9223372036854775808"}`,
		`-0`:                            `{"$numberDecimal":"-0"}`,
		`-0.00`:                         `{"$numberDecimal":"-0.00"}`,
		`0.000001`:                      `{"$numberDecimal":"0.000001"}`,
		`1.5e-7`:                        `{"$numberDecimal":"1.5E-7"}`,
		`1e+21`:                         `{"$numberDecimal":"1E+21"}`,
		`1e+6111`:                       `{"$numberDecimal":"1E+6111"}`,
		`1e-6176`:                       `{"$numberDecimal":"1E-6176"}`,
		strings.Repeat("9", 34):         `{"$numberDecimal":"` + strings.Repeat("9", 34) + `"}`,
		"-0." + strings.Repeat("7", 34): `{"$numberDecimal":"-0.` + strings.Repeat("7", 34) + `"}`,
		// What Decimal128 cannot hold, or would write in another way, keeps its text.
		strings.Repeat("9", 35): `{"%json":"` + strings.Repeat("9", 35) + `"}`,
		`1e+6112`:               `{"%json":"1e+6112"}`,
		`1e99999999999`:         `{"%json":"1e99999999999"}`,
		`{"x":1E5}`:             `{"x":{"%json":"1E5"}}`,
		`0.0000001`:             `{"%json":"0.0000001"}`,
		`1e-07`:                 `{"%json":"1e-07"}`,
		// Names that BSON or MongoDB does not take.
		`{"a.b":1,"$c":"$d","":2,"e\u0000":3,"50%":4,"f$":5,"%json":"x"}`: `{"a%2Eb":{"$numberLong":"1"},"%24c":"$d",` +
			`"%":{"$numberLong":"2"},"e%00":{"$numberLong":"3"},"50%25":{"$numberLong":"4"},"f$":{"$numberLong":"5"},"%25json":"x"}`,
		`{"%2E":"%"}`: `{"%252E":"%"}`,
		// Strings, with the characters that JSON escapes.
		`"\u0000 \"\\\b\f\n\r\t \u001f é 🚗 ` + "\u2028\u007f" + `"`: `"\u0000 \"\\\b\f\n\r\t \u001f é 🚗 ` +
			"\u2028\u007f" + `"`,
		// What is not compact is kept whole.
		`{"a": 1}`:       `{"%json":"{\"a\": 1}"}`,
		`{"a":"\u0041"}`: `{"%json":"{\"a\":\"\\u0041\"}"}`,
		`"\/"`:           `{"%json":"\"\\/\""}`,
		``:               `{"%json":""}`,
		`{`:              `{"%json":"{"}`,
		`[1,]`:           `{"%json":"[1,]"}`,
		`01`:             `{"%json":"01"}`,
		`"a`:             `{"%json":"\"a"}`,
		`"\`:             `{"%json":"\"\\"}`,
		`{"a"}`:          `{"%json":"{\"a\"}"}`,
		`{}{}`:           `{"%json":"{}{}"}`,
	} {
		kind, data, err := Encode([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := extended(t, kind, data)
		if !sameJSON(t, got, want) {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
		if back, err := Decode(kind, data); err != nil || string(back) != text {
			t.Errorf("%s came back as %s, error %v", text, back, err)
		}
	}
}

func TestDepth(t *testing.T) {
	for depth, kept := range map[int]bool{64: false, maxDepth: false, maxDepth + 1: true, 100_000: true} {
		text := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		kind, data, err := Encode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(keptName)) != kept {
			t.Errorf("depth %d: kept as text: %v", depth, !kept)
		}
		if back, err := Decode(kind, data); err != nil || string(back) != text {
			t.Errorf("depth %d came back as %.80s, error %v", depth, back, err)
		}
	}
}

// TestGrowthIsBounded checks that what the interface accepts fits into MongoDB.
func TestGrowthIsBounded(t *testing.T) {
	for _, part := range []string{"1,", "[],", `"",`, `{"":1},`, "0.1,", "1e5,", "null,",
		`"` + strings.Repeat(`\u0001`, 40) + `",`} {
		text := "[" + strings.Repeat(part, (1<<17)/len(part)) + "1]"
		kind, data, err := Encode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 2*len(text) {
			t.Errorf("%s...: %d bytes became %d", part, len(text), len(data))
		}
		if back, err := Decode(kind, data); err != nil || string(back) != text {
			t.Errorf("%s... does not come back, error %v", part, err)
		}
	}
}

// TestWhatOthersWrote reads what an operator may have written with MongoDB's tools.
func TestWhatOthersWrote(t *testing.T) {
	for name, c := range map[string]struct {
		value any
		text  string
	}{
		"int32":        {bson.D{{Key: "a", Value: int32(-7)}}, `{"a":-7}`},
		"double":       {bson.D{{Key: "a", Value: 0.1}}, `{"a":0.1}`},
		"large double": {bson.D{{Key: "a", Value: 1e300}}, `{"a":1e+300}`},
		"percent":      {bson.D{{Key: "a%b%2", Value: true}}, `{"a%b%2":true}`},
		"date":         {bson.D{{Key: "a", Value: bson.DateTime(0)}}, ""},
		"not finite":   {bson.D{{Key: "a", Value: bson.NewDecimal128(0x7800000000000000, 0)}}, ""},
		"kept, twice":  {bson.D{{Key: keptName, Value: "1"}, {Key: "a", Value: "1"}}, ""},
		"kept number":  {bson.D{{Key: keptName, Value: int64(1)}}, ""},
	} {
		kind, data, err := bson.MarshalValue(c.value)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Decode(byte(kind), data)
		if string(text) != c.text || (err == nil) != (c.text != "") {
			t.Errorf("%s: %s, error %v", name, text, err)
		}
	}
}

func TestTextThatIsNoUTF8IsRefused(t *testing.T) {
	for _, text := range []string{"\"\xff\"", "{\"\xff\":1}", "\xff", "\"\xed\xa0\x80\""} {
		if _, _, err := Encode([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestNumbersAtRandom compares Decimal128 with the driver's reading of the same text.
func TestNumbersAtRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	decimals := 0
	for range 20_000 {
		text := randomNumber(random)
		kind, data, err := Encode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if back, err := Decode(kind, data); err != nil || string(back) != text {
			t.Fatalf("%s came back as %s, error %v", text, back, err)
		}
		if bson.Type(kind) != bson.TypeDecimal128 {
			continue
		}
		decimals++
		want, err := bson.ParseDecimal128(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := (bson.RawValue{Type: bson.Type(kind), Value: data}).Decimal128(); got != want {
			t.Fatalf("%s became %v, want %v", text, got, want)
		}
	}
	if decimals < 5_000 {
		t.Errorf("only %d numbers became Decimal128", decimals)
	}
}

func randomNumber(random *rand.Rand) string {
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(byte('0' + random.IntN(10)))
		}
		return b.String()
	}
	text := strings.TrimLeft(digits(random.IntN(38)), "0")
	if text == "" {
		text = "0"
	}
	if random.IntN(2) == 0 {
		text = "-" + text
	}
	if random.IntN(3) > 0 {
		text += "." + digits(1+random.IntN(12))
	}
	if random.IntN(4) == 0 {
		text += []string{"e", "E"}[random.IntN(2)] + []string{"", "+",
			"-"}[random.IntN(3)] + strconv.Itoa(random.IntN(7000))
	}
	return text
}

// FuzzText checks that any text comes back unchanged, and that compact JSON becomes values.
func FuzzText(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,"x",null,true,{"":-0}]}`, `{"a.b":1e5,"$":"\u0000"}`, `{"%json":1}`,
		`[ 1 ]`, `"\ud800"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		kind, data, err := Encode(text)
		if err != nil {
			if utf8.Valid(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		back, err := Decode(kind, data)
		if err != nil || !bytes.Equal(back, text) {
			t.Fatalf("%q came back as %q, error %v", text, back, err)
		}
		if kind == byte(bson.TypeEmbeddedDocument) {
			if err := bson.Raw(data).Validate(); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
		if compact(text) && keptWhole(kind, data) && (text[0] == '{' || text[0] == '[') {
			t.Fatalf("%q is compact, and kept as text", text)
		}
	})
}

// compact reports whether the text is small JSON that Encode makes a value of.
func compact(text []byte) bool {
	formatted := jsontext.Value(bytes.Clone(text))
	return formatted.Format(jsontext.AllowDuplicateNames(true)) == nil && bytes.Equal(formatted, text) &&
		bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= maxDepth && len(text) < roomySize/maxGrowth
}

// keptWhole reports whether the value is a document that holds text.
func keptWhole(kind byte, data []byte) bool {
	return kind == byte(bson.TypeEmbeddedDocument) &&
		bytes.HasPrefix(data[4:], append([]byte{byte(bson.TypeString)}, keptName...))
}

// FuzzBSON checks that Decode returns an error, and does not panic, on any wrong BSON.
func FuzzBSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,"x",null,true,{"":-0}]}`, `{"%json":1}`, `[ 1 ]`} {
		kind, data, err := Encode([]byte(seed))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(kind, data)
	}
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		text, err := Decode(kind, data)
		if err == nil && bson.Type(kind) != bson.TypeEmbeddedDocument && bson.Type(kind) != bson.TypeArray &&
			!json.Valid(text) {
			t.Fatalf("%q", text)
		}
	})
}

func extended(t *testing.T, kind byte, data []byte) string {
	t.Helper()
	text, err := bson.MarshalExtJSON(bson.D{{Key: "v", Value: bson.RawValue{Type: bson.Type(kind), Value: data}}}, true,
		false)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(text)), `{"v":`), "}")
}

// sameJSON compares what two texts say, members in order, because the driver may escape in another way.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	x, y := jsontext.Value(a), jsontext.Value(b)
	if err := x.Format(); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
	if err := y.Format(); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return bytes.Equal(x, y)
}
