package export

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// TestLayoutsStay compares the columns with those in which versions were approved. Others are a new layout beside them.
func TestLayoutsStay(t *testing.T) {
	for kind, want := range map[string]string{
		"claims":  "7c804c51ad3b72fc9ecc4a9b69a21fb155c41031ea49e3cc7dc28219a652ddb6",
		"premium": "5412346ecede566c87fba04388c1a8c801d608788b51d654efafd5a7d9f36e03",
	} {
		text, err := layouts.ReadFile("columns/" + kind + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if is := fmt.Sprintf("%x", sha256.Sum256(text)); is != want {
			t.Errorf("the columns of %s in the layouts up to %d are changed: their digest is %s", kind, Newest, is)
		}
	}
}
