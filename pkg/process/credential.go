package process

import (
	"errors"
	"fmt"
	"strings"

	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/secret"
	"insurance.example/exchange/pkg/setting"
)

// credentialFile is the name of a setting.
const credentialFile = "credential-file"

// Credentials returns the credentials that the shared secrets of the settings make, the same ones at each call.
// Secrets from a file change with the file while Serve runs. There may be none if certificates take their place.
// Errors name the setting.
func (p *Process) Credentials() (request.Credentials, error) {
	if p.credentials != nil {
		return *p.credentials, nil
	}
	credentials, err := p.makeCredentials()
	if err == nil {
		p.credentials = &credentials
	}
	return credentials, err
}

func (p *Process) makeCredentials() (request.Credentials, error) {
	if p.knownByCertificate() {
		return request.Credentials{}, nil
	}
	if p.Settings.SecretFile == "" {
		credentials, err := request.NewCredentials(p.Settings.Secrets)
		if err != nil {
			return credentials, fmt.Errorf("setting credential: %w; give --%s or EXCHANGE_CREDENTIAL", err,
				credentialFile)
		}
		return credentials, nil
	}
	if len(p.Settings.Secrets) > 0 {
		return request.Credentials{}, errors.New("settings credential and " + credentialFile +
			": give one of them, not both")
	}
	file := setting.File{Setting: credentialFile, Path: p.Settings.SecretFile}
	held, err := secret.Read(func(contents [][]byte) (request.Credentials, error) {
		credentials, err := request.NewCredentials(lines(contents[0]))
		if err != nil {
			err = fmt.Errorf("setting %s: %s: %w; write a secret of at least 16 characters in each line", file.Setting,
				file.Path, err)
		}
		return credentials, err
	}, file)
	if err != nil {
		return request.Credentials{}, err
	}
	credentials := held.Get()
	follow(p, held, credentials.Replace)
	return credentials, nil
}

// knownByCertificate reports whether there is no shared secret because certificates take its place.
func (p *Process) knownByCertificate() bool {
	s := p.Settings
	return len(s.Secrets) == 0 && s.SecretFile == "" &&
		(s.Security.PeerCertificate != "" || len(s.Security.ClientNames) > 0)
}

// lines returns the lines of a text that are not blank, without the white space around them.
func lines(text []byte) []string {
	var all []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}
