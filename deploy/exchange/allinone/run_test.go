package allinone

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/deploy/exchange/local"
)

// running is an exchange that runs in the process of the test.
type running struct {
	base, banner string
	stop         func()
}

// run runs an exchange on free ports until the test ends.
func run(t *testing.T, data string, args ...string) running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	banner := make(chan string, 1)
	ended := make(chan int, 1)
	var stderr strings.Builder // written by the program only; read after it has ended
	go func() {
		// A busy machine is no overload.
		args := append([]string{"--addr", "127.0.0.1:0", "--data", data, "--overload-latency", "0",
			"--request-timeout", "5m"}, args...)
		ended <- RunProgram(writerFunc(func(text string) {
			banner <- text
		})).Execute(ctx, args, nil, io.Discard, &stderr)
	}()
	r := running{}
	r.stop = func() {
		cancel()
		if status := <-ended; status != 0 {
			t.Errorf("exit status %d: %s", status, stderr.String())
		}
		ended <- 0
	}
	select {
	case r.banner = <-banner:
	case status := <-ended:
		t.Fatalf("exit status %d: %s", status, stderr.String())
	}
	t.Cleanup(r.stop)
	r.base = regexp.MustCompile(`listens on (http://\S+)`).FindStringSubmatch(r.banner)[1]
	return r
}

type writerFunc func(text string)

func (f writerFunc) Write(text []byte) (int, error) {
	f(string(text))
	return len(text), nil
}

// refusal runs an exchange that cannot start and returns what it writes.
func refusal(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stderr strings.Builder
	status := RunProgram(io.Discard).Execute(ctx,
		append([]string{"--addr", "127.0.0.1:0", "--admin-addr", ""}, args...), nil, io.Discard, &stderr)
	if status == 0 {
		t.Fatalf("the exchange has started: %s", stderr.String())
	}
	return stderr.String()
}

func wantWords(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q lacks %q", text, word)
		}
	}
}

func get(t *testing.T, url, token string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestBannerNamesWhatThereIs(t *testing.T) {
	data := t.TempDir()
	r := run(t, data, "--admin-addr", "127.0.0.1:0")
	_, start := get(t, r.base+"/docs/start", "")
	wantWords(t, start, "TOKEN=$(exchange token --data "+data+")")
	wantWords(t, r.banner, r.base+"/docs", "/readyz", "token --data")
	if status, body := get(t, r.base+"/", ""); status != http.StatusOK || !strings.Contains(body, "<html") {
		t.Errorf("/ has the status %d, %.80s", status, body)
	}

	bare := run(t, t.TempDir(), "--admin-addr", "")
	if strings.Contains(bare.banner, "readyz") || strings.Contains(bare.banner, "http:///") {
		t.Errorf("without an admin address: %s", bare.banner)
	}
}

// TestBannerWithAnIdentityProvider checks that the banner has no command with a token of the exchange's own keys,
// because such a token would be refused.
func TestBannerWithAnIdentityProvider(t *testing.T) {
	r := run(t, t.TempDir(), "--jwks-url", "http://127.0.0.1:1/jwks.json")
	wantWords(t, r.banner, r.base+"/docs", "http://127.0.0.1:1/jwks.json", "std.developer", "std.admin")
	for _, text := range []string{"token --data", "curl", "/console"} {
		if strings.Contains(r.banner, text) {
			t.Errorf("%s cannot work: %s", text, r.banner)
		}
	}
	if status, body := get(t, r.base+"/console", ""); status != http.StatusNotFound ||
		!strings.Contains(body, "The console is off") {
		t.Errorf("/console has the status %d, %s", status, body)
	}
}

func TestDataFilesArePrivate(t *testing.T) {
	data := t.TempDir() // which others may read
	if err := os.Chmod(data, 0o755); err != nil {
		t.Fatal(err)
	}
	first := run(t, data)
	first.stop()
	// An earlier version, which had no links, left files that others could read.
	files := 0
	if err := os.RemoveAll(filepath.Join(data, "links")); err != nil {
		t.Fatal(err)
	}
	each(t, data, func(path string, info fs.FileInfo) {
		if err := os.Chmod(path, info.Mode().Perm()|0o044); err != nil {
			t.Fatal(err)
		}
	})
	run(t, data)
	each(t, data, func(path string, info fs.FileInfo) {
		files++
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %o", path, info.Mode().Perm())
		}
	})
	if files < 8 {
		t.Errorf("only %d files were seen", files)
	}
}

// each visits the files in a folder. One that goes meanwhile is left out.
func each(t *testing.T, folder string, visit func(path string, info fs.FileInfo)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			visit(path, info)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSecondInstanceIsRefusedBeforeItTouchesTheData(t *testing.T) {
	data := t.TempDir()
	run(t, data)
	wantWords(t, refusal(t, "--data", data), "setting data", RecordsFile(data),
		"in use by another process")
}

func TestDamagedDatabaseIsNamed(t *testing.T) {
	data := t.TempDir()
	file := RecordsFile(data)
	if err := os.WriteFile(file, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	wantWords(t, refusal(t, "--data", data), "setting data", file, "damaged", "backup")
}

func TestFolderThatIsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{file, filepath.Join(file, "below")} {
		wantWords(t, refusal(t, "--data", data), "setting data", data, "a file is in the way", "--data")
	}
}

// TestStoreThatCannotBeUsed checks that an exchange starts neither with records in what it does not know, nor in a
// place that has none of the records of its folder. Nothing that it says shows a password.
func TestStoreThatCannotBeUsed(t *testing.T) {
	const mongo = "mongodb://exchange:sEcret@127.0.0.1:1/"
	files := t.TempDir()
	first := run(t, files)
	first.stop()
	onMongo := t.TempDir()
	if err := os.WriteFile(mongoNote(onMongo), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct{ args, words []string }{
		{[]string{"--data", none, "--store", "redis://u:sEcret@127.0.0.1"},
			[]string{"setting store", "give mongodb://HOST", "--data"}},
		{[]string{"--data", none, "--store", "sqlite:" + none + ".db"},
			[]string{"setting store", "give mongodb://HOST", "--data"}},
		{[]string{"--data", t.TempDir(), "--store", mongo, "--mongo-ca", "/none"},
			[]string{"setting mongo-ca", "/none"}},
		{[]string{"--data", t.TempDir(), "--store", "mongodb://u:sEcret@127.0.0.1:99999999"},
			[]string{"setting store"}},
		{[]string{"--data", files, "--store", mongo},
			[]string{"setting store", files, "another folder", "--data"}},
		{[]string{"--data", onMongo}, []string{"setting store", onMongo, "in MongoDB", "give its URL", "--data"}},
	} {
		said := refusal(t, c.args...)
		wantWords(t, said, c.words...)
		if strings.Contains(said, "sEcret") {
			t.Errorf("a password is shown: %s", said)
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a folder was created")
	}
}

// TestEmptyStoreIsTheFolder sets the store to nothing, as an environment does that has no value for it.
func TestEmptyStoreIsTheFolder(t *testing.T) {
	data := t.TempDir()
	r := run(t, data, "--store", "")
	if strings.Contains(r.banner, "MongoDB") || InMongo(data) {
		t.Errorf("the records are said to be in MongoDB: %s", r.banner)
	}
	if _, err := os.Stat(RecordsFile(data)); err != nil {
		t.Error(err)
	}
}

func TestTokenWantsAnExchange(t *testing.T) {
	data := filepath.Join(t.TempDir(), "nobody")
	token := func(args ...string) (string, error) {
		var out strings.Builder
		command := local.TokenCommand(nil, &out)
		command.SetArgs(append([]string{"--data", data}, args...))
		command.SilenceUsage, command.SilenceErrors = true, true
		return out.String(), command.Execute()
	}
	_, err := token()
	if err == nil {
		t.Fatal("a token for an exchange that does not exist")
	}
	wantWords(t, err.Error(), data, "exchange run", "--data")
	if _, err := os.Stat(data); err == nil {
		t.Error("the folder was created")
	}
	if _, err := token("--new-keys"); err != nil {
		t.Error(err)
	}
	if _, err := token("--org", "no name"); err == nil {
		t.Error("a token for an organisation that cannot be")
	}
	if _, err := token(); err != nil {
		t.Error(err)
	}
}

// documented finds the metrics in the table of deploy/README.md.
var documented = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|")

// TestMetricsAreDocumented looks in the table for what an exchange exports once each part of it has had work. That
// each metric of the table is exported is for the test of separate processes (deploy/proof/e2e/sight), which have
// more of them.
func TestMetricsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, match := range documented.FindAllStringSubmatch(string(page), -1) {
		want[match[1]] = true
	}
	data := t.TempDir()
	r := run(t, data, "--admin-addr", "127.0.0.1:0")
	token, err := local.IssueToken(data, "", "")
	if err != nil {
		t.Fatal(err)
	}
	get(t, r.base+"/nothing", token)
	// A claim of an unknown policy makes claims call coverage.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.base+"/claim",
		strings.NewReader(`{"policyNumber":"NONE"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("the claim gets %d", response.StatusCode)
	}
	admin := regexp.MustCompile(`http://\S+/metrics`).FindString(r.banner)
	_, exported := get(t, admin, "")
	seen := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^# TYPE (\S+) `).FindAllStringSubmatch(exported, -1) {
		if name := match[1]; !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_") {
			seen[name] = true
		}
	}
	for name := range seen {
		if !want[name] {
			t.Errorf("%s is not documented", name)
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d metrics are exported", len(seen))
	}
	wantWords(t, exported, `route="unmatched"`, `http_problems_total{service="gateway",type="not-found"}`)
}
