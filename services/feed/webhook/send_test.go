package webhook

import (
	"testing"
	"time"
)

// TestSignatureOfThePublishedVector signs the example of the libraries of Standard Webhooks.
func TestSignatureOfThePublishedVector(t *testing.T) {
	got, err := sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek",
		time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("%s, error %v, want %s", got, err, want)
	}
}
