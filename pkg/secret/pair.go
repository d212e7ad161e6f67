package secret

import (
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"insurance.example/exchange/pkg/setting"
)

// Pair is a certificate with its private key, which follows its files.
type Pair = Value[*tls.Certificate]

// ReadPair reads a certificate and its private key from PEM files. It fails if the certificate has ended. Errors name
// the settings, and quote no file.
func ReadPair(certificate, key setting.File) (*Pair, error) {
	return Read(func(contents [][]byte) (*tls.Certificate, error) {
		pair, err := tls.X509KeyPair(contents[0], contents[1])
		if err != nil {
			return nil, fmt.Errorf("settings %s and %s: %s and %s are not a certificate and its private key in PEM",
				certificate.Setting, key.Setting, certificate.Path, key.Path)
		}
		if end := pair.Leaf.NotAfter; time.Now().After(end) {
			return nil, fmt.Errorf("setting %s: the certificate in %s has ended on %s; renew it", certificate.Setting,
				certificate.Path, end.Format(time.RFC3339))
		}
		return &pair, nil
	}, certificate, key)
}

// earliestNotice bounds how long before its end a certificate is called due.
const earliestNotice = 30 * 24 * time.Hour

// Due returns an error that says when a certificate ends if it should have been renewed by now: less than a quarter
// of its time is left, and less than 30 days. What renews certificates commonly does so when a third is left.
func Due(pair *tls.Certificate, now time.Time) error {
	begin, end := pair.Leaf.NotBefore, pair.Leaf.NotAfter
	notice := min(end.Sub(begin)/4, earliestNotice)
	switch {
	case now.After(end):
		return errors.New("the certificate has ended on " + end.Format(time.RFC3339) + "; renew it")
	case end.Sub(now) < notice:
		return errors.New("the certificate ends on " + end.Format(time.RFC3339) + "; renew it")
	}
	return nil
}
