package containers_test

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/proof/crosstest/acceptance"
	"insurance.example/exchange/deploy/proof/crosstest/database"
	"insurance.example/exchange/pkg/auth"
)

// services are the names of the services, in the order in which they start.
var services = internalapi.Services()

// exchange is the whole exchange in containers.
type exchange struct {
	*engine
	base     string
	signer   *auth.Signer
	keys     string // the folder of the signer
	settings []string
	parts    map[string]*container
	order    []string
}

// own returns the name of one of the exchange's own images.
func own(name string) string {
	prefix, tag := os.Getenv("IMAGE_PREFIX"), os.Getenv("IMAGE_TAG")
	if prefix == "" {
		prefix = "insurance-exchange/"
	}
	if tag == "" {
		tag = "local"
	}
	return prefix + name + ":" + tag
}

// startExchange starts the database, the broker, the services and the gateway, each after those that it needs.
func startExchange(t *testing.T) *exchange {
	t.Helper()
	mongo, storeURL := mongoDB(t)
	x := &exchange{engine: openEngine(t), parts: map[string]*container{}, keys: t.TempDir()}
	var err error
	if x.signer, err = auth.OpenSigner(x.keys); err != nil {
		t.Fatal(err)
	}
	// The process in the container is another user, who may not read the signer's own file.
	keySet := filepath.Join(t.TempDir(), "jwks.json")
	if err := os.WriteFile(keySet, x.signer.JWKS(), 0o644); err != nil {
		t.Fatal(err)
	}
	x.add(t, mongo)
	x.add(t, broker(t))
	var peers []string
	for _, name := range services {
		peers = append(peers, name+"=http://"+name+":8080")
	}
	x.settings = []string{
		"EXCHANGE_CREDENTIAL=" + rand.Text(), "EXCHANGE_STORE=" + storeURL, "EXCHANGE_BROKERS=kafka:9092",
		"EXCHANGE_BORDEREAU_PERIOD=month", "EXCHANGE_SESSION_TIMEOUT=6s", "EXCHANGE_REQUEST_TIMEOUT=5s",
		"EXCHANGE_PEER=" + strings.Join(peers, ","),
	}
	x.start(t, x.parts["mongo"], x.parts["kafka"])
	var started []*container
	for _, name := range services {
		started = append(started, x.addService(t, name, name))
	}
	x.start(t, started...)
	address := freeAddress(t)
	x.add(t, image{
		name: "gateway", image: own("gateway"), alias: "gateway", ready: []string{"/command", "health"},
		environ: append([]string{
			"EXCHANGE_JWT_KEYS=/jwks.json", "EXCHANGE_JWT_ISSUER=" + acceptance.Issuer,
			"EXCHANGE_JWT_AUDIENCE=" + acceptance.Audience,
		}, x.settings...),
		mounts: []string{keySet + ":/jwks.json:ro"},
		port:   "8080/tcp", published: address,
	})
	x.start(t, x.parts["gateway"])
	x.base = "http://" + address
	return x
}

func (x *exchange) add(t *testing.T, i image) *container {
	t.Helper()
	c := x.create(t, i)
	x.parts[i.name] = c
	x.order = append(x.order, i.name)
	return c
}

// addService makes a replica of a service.
func (x *exchange) addService(t *testing.T, service, name string) *container {
	t.Helper()
	return x.add(t, image{
		name: name, image: own(service), alias: service, environ: x.settings, ready: []string{"/command", "health"},
	})
}

// mongoDB describes MongoDB, or what CROSSTEST_MONGO=standin puts in its place, and how the services reach it. Call
// it before the engine is opened, which ends what it runs at the end of the test.
func mongoDB(t *testing.T) (i image, url string) {
	t.Helper()
	if !standins(t) {
		return image{
			name: "mongo", alias: "mongo", image: "mongo:8", command: []string{"--replSet", "rs0", "--bind_ip_all"},
			ready: []string{"mongosh", "--quiet", "--eval", `try { rs.status() } catch (e) {
				rs.initiate({_id: 'rs0', members: [{_id: 0, host: 'mongo:27017'}]}) };
				quit(db.hello().isWritablePrimary ? 0 : 1)`},
		}, "mongodb://mongo:27017/?replicaSet=rs0"
	}
	kept := database.Keep(t, fmt.Sprintf("crosstest-%d", time.Now().UnixNano()))
	return image{
		name: "mongo", alias: "mongo", image: own("documentdb"), user: "0:0",
		mounts:  []string{kept.Dir + ":/documentdb"},
		command: []string{"-addr", ":27017", "-dir", "/documentdb", "-keep", kept.Keep},
		ready:   []string{"/command", "-check", "127.0.0.1:27017"},
	}, "mongodb://mongo:27017/"
}

// broker describes Kafka, or what stands in for it.
func broker(t *testing.T) image {
	t.Helper()
	if standins(t) {
		return image{
			name: "kafka", alias: "kafka", image: own("kafka"),
			command: []string{"-addr", "kafka:9092", "-data", "/data"},
			ready:   []string{"/command", "-check", "kafka:9092"},
		}
	}
	return image{
		name: "kafka", alias: "kafka", image: "apache/kafka:4.1.0",
		environ: []string{
			"KAFKA_NODE_ID=1", "KAFKA_PROCESS_ROLES=broker,controller",
			"KAFKA_LISTENERS=PLAINTEXT://:9092,CONTROLLER://:9093",
			"KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://kafka:9092", "KAFKA_CONTROLLER_LISTENER_NAMES=CONTROLLER",
			"KAFKA_LISTENER_SECURITY_PROTOCOL_MAP=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
			"KAFKA_CONTROLLER_QUORUM_VOTERS=1@localhost:9093", "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR=1",
			"KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR=1", "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR=1",
		},
		ready: []string{"/opt/kafka/bin/kafka-topics.sh", "--bootstrap-server", "localhost:9092", "--list"},
	}
}

// standins reports whether MongoDB and Kafka are replaced.
func standins(t *testing.T) bool {
	t.Helper()
	switch kind := os.Getenv("CROSSTEST_MONGO"); kind {
	case "":
		return false
	case "standin":
		return true
	default:
		t.Fatalf("CROSSTEST_MONGO is %q; it is empty for the images mongo:8 and apache/kafka, or standin", kind)
		return false
	}
}

// freeAddress returns an address of this machine at which nothing listens, for a container that keeps it when it is
// started again.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
