package rest

import (
	"testing"
	"time"

	"insurance.example/exchange/pkg/rest/history"
)

// TestAKeyOfAnEarlierReleaseIsStillThatOfItsRequest repeats requests of a key as a release kept it that told a null
// member from an absent one.
func TestAKeyOfAnEarlierReleaseIsStillThatOfItsRequest(t *testing.T) {
	s := NewServer(Config{Now: time.Now})
	kept := &history.UsedKey{Request: digest(`{"a":null,"b":"1"}`)}
	for body, same := range map[string]bool{`{"b":"1","a":null}`: true, `{"b":"1"}`: false, `{"b":"2","a":null}`: false} {
		key, err := s.keyOf(t.Context(), "parcel", "k", []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := s.Repeats(kept, key); again != same {
			t.Errorf("%s repeats it: %t, %v", body, again, err)
		}
	}
}
