package allinone

import (
	"fmt"
	"os"
	"path/filepath"
)

// welcome tells a person where the exchange listens and how to call it. Each line of curl works as it is pasted.
func (e *exchange) welcome(address, admin string) error {
	data, err := filepath.Abs(e.data)
	if err != nil {
		return err
	}
	command, err := os.Executable()
	if err != nil {
		return err
	}
	base := "http://" + address
	bearer := fmt.Sprintf(`-H "Authorization: Bearer $('%s' token --data '%s')"`, command, data)
	_, err = fmt.Fprintf(e.banner, `
The Insurance Exchange listens on %s
  metrics and health: http://%s/metrics, /livez, /readyz
  data:               %s

Try it:
  curl %s %s/productCatalog
  curl %s -H 'Content-Type: application/json' -d '{"plateNumber":"EX 2026","vin":"WVWZZZ1JZXW000001"}' %s/vehicle
  curl %s %s/vehicle

Ctrl-C stops it.

`, base, admin, data, bearer, base, bearer, base, bearer, base)
	return err
}
