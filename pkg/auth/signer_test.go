package auth_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/pkg/auth"
)

func TestSignerKeepsItsKey(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "keys")
	first, err := auth.OpenSigner(folder)
	if err != nil {
		t.Fatal(err)
	}
	second, err := auth.OpenSigner(folder)
	if err != nil {
		t.Fatal(err)
	}
	if string(first.JWKS()) != string(second.JWKS()) {
		t.Fatal("opening the folder again made another key")
	}
	v := verifier(t, "--jwt-keys", second.PublicFile(), "--jwt-issuer", "local", "--jwt-audience", "exchange")
	caller, err := verify(v, issue(t, first, auth.Grant{
		Subject: "broker-1", Scopes: []string{"std.admin"}, Issuer: "local", Audience: []string{"exchange"},
		Lifetime: time.Minute,
	}))
	if err != nil || caller.Subject != "broker-1" || !caller.Has("std.admin") || caller.Has("std.developer") {
		t.Fatalf("caller %+v, error %v", caller, err)
	}
}

func TestSignerFilesAreItsOwners(t *testing.T) {
	s := signer(t)
	folder := filepath.Dir(s.PublicFile())
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 {
		t.Fatalf("files %v, want the key and its public half alone", files)
	}
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", file.Name(), info.Mode())
		}
	}
	if strings.Contains(string(s.JWKS()), `"d"`) {
		t.Error("the key set shows the private key")
	}
}

func TestSignersOfOneFolderShareTheKey(t *testing.T) {
	folder := t.TempDir()
	sets := make([]string, 8)
	var group sync.WaitGroup
	for i := range sets {
		group.Go(func() {
			s, err := auth.OpenSigner(folder)
			if err != nil {
				t.Error(err)
				return
			}
			sets[i] = string(s.JWKS())
		})
	}
	group.Wait()
	for _, set := range sets {
		if set != sets[0] {
			t.Fatal("two processes made two keys")
		}
	}
}

func TestSignerRefusesAForeignKey(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "signing-key.pem"), []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := auth.OpenSigner(folder); err == nil || !strings.Contains(err.Error(), "signing-key.pem") {
		t.Fatalf("error %v, want one that names the file", err)
	}
}
