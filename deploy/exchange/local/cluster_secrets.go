package local

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"insurance.example/exchange/pkg/auth"
)

// The Secrets that the processes of an exchange without an identity provider share, and the keys in them.
const (
	credentialSecret = "exchange-credential"
	credentialKey    = "secrets"
	keysSecret       = "exchange-token-keys"
	// passwordSecret begins the name of the Secret of a user of MongoDB.
	passwordSecret = "exchange-mongodb-"
)

// clusterPatience bounds one request to the API of Kubernetes.
const clusterPatience = 30 * time.Second

// createSecrets creates the Secrets in the namespace that the process runs in, and says to out what it did. A Secret
// that exists stays. account is the folder of the pod's service account, which must be allowed to create Secrets.
func createSecrets(ctx context.Context, environ []string, account string, out io.Writer) error {
	api, err := openKubernetes(environ, account)
	if err != nil {
		return err
	}
	credential, err := NewSecret()
	if err != nil {
		return err
	}
	keys, err := newKeys()
	if err != nil {
		return err
	}
	all := map[string]map[string][]byte{
		credentialSecret: {credentialKey: []byte(credential + "\n")}, keysSecret: keys,
	}
	for user, secrets := range mongoSecrets() {
		all[passwordSecret+user] = map[string][]byte{}
		for _, name := range secrets {
			secret, err := NewSecret()
			if err != nil {
				return err
			}
			all[passwordSecret+user][name] = []byte(secret + "\n")
		}
	}
	for name, data := range all {
		created, err := api.createSecret(ctx, name, data)
		if err != nil {
			return fmt.Errorf("the Secret %s of the namespace %s: %w", name, api.namespace, err)
		}
		outcome := "exists already and stays"
		if created {
			outcome = "created"
		}
		fmt.Fprintf(out, "Secret %s: %s\n", name, outcome)
	}
	return nil
}

// newKeys returns new keys of local tokens, by the names of their files.
func newKeys() (map[string][]byte, error) {
	folder, err := os.MkdirTemp("", "keys")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if _, err := auth.OpenSigner(folder); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	keys := map[string][]byte{}
	for _, file := range files {
		if keys[file.Name()], err = os.ReadFile(filepath.Join(folder, file.Name())); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// kubernetesAPI is the API of Kubernetes as a pod sees it.
type kubernetesAPI struct {
	url, namespace, token string
	client                *http.Client
}

// openKubernetes finds the API by the variables and the files that Kubernetes gives a pod.
func openKubernetes(environ []string, account string) (*kubernetesAPI, error) {
	host, port := lookup(environ, "KUBERNETES_SERVICE_HOST"), lookup(environ, "KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, errors.New("setting kubernetes: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not " +
			"set; --kubernetes is for a pod")
	}
	var texts [3]string
	for i, name := range []string{"token", "namespace", "ca.crt"} {
		text, err := os.ReadFile(filepath.Join(account, name))
		if err != nil {
			return nil, fmt.Errorf("setting service-account: %w; the pod needs automountServiceAccountToken", err)
		}
		texts[i] = strings.TrimSpace(string(text))
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM([]byte(texts[2])) {
		return nil, fmt.Errorf("setting service-account: %s has no certificate", filepath.Join(account, "ca.crt"))
	}
	return &kubernetesAPI{
		url: "https://" + net.JoinHostPort(host, port), token: texts[0], namespace: texts[1],
		client: &http.Client{
			Timeout: clusterPatience,
			Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities,
				MinVersion: tls.VersionTLS12}},
		},
	}, nil
}

// createSecret creates a Secret. It returns false if there is one of this name.
func (c *kubernetesAPI) createSecret(
	ctx context.Context, name string, data map[string][]byte,
) (created bool, err error) {
	body, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": data,
		"metadata": map[string]any{
			"name": name, "labels": map[string]string{"app.kubernetes.io/part-of": "insurance-exchange"},
		},
	})
	if err != nil {
		return false, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		c.url+"/api/v1/namespaces/"+url.PathEscape(c.namespace)+"/secrets", bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	var status struct{ Reason, Message string }
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&status); err != nil {
		return false, fmt.Errorf("%s responds with %s and a body that is not JSON: %w", request.URL,
			response.Status, err)
	}
	switch {
	case response.StatusCode == http.StatusCreated:
		return true, nil
	case response.StatusCode == http.StatusConflict && status.Reason == "AlreadyExists":
		return false, nil
	}
	return false, fmt.Errorf("%s responds with %s: %s", request.URL, response.Status, status.Message)
}
