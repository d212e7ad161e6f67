// Generated from the declarations of the services (make generate).
//
// Divides the collections of the exchange among the shards of a MongoDB cluster, by the hash of a field. Run it at a
// router (mongos), before the first start if you can: the collections are empty then. What is divided already stays as it
// is, so that it can be run again. The user needs the roles clusterManager, and dbAdmin on the databases of the services.
//
//   mongosh 'mongodb://router-0,router-1/' --username operator deploy/mongodb/shards.js
//   SERVICES=coverage,claims mongosh 'mongodb://router-0,router-1/' deploy/mongodb/shards.js
//   PLAN=1 mongosh --nodb deploy/mongodb/shards.js        # prints what it would do, and asks no server

const keys = [ // database, collection, field
  // KEYS
];

const services = (process.env.SERVICES || '').split(',').filter(Boolean);
const unknown = services.filter((name) => !keys.some(([database]) => database === name));
if (unknown.length > 0) throw new Error(`there is no service ${unknown.join(', ')}`);
const wanted = keys.filter(([database]) => services.length === 0 || services.includes(database));

if (process.env.PLAN) {
  for (const [database, collection, field] of wanted) print(`${database}.${collection}: { ${field}: "hashed" }`);
} else {
  if (db.hello().msg !== 'isdbgrid') throw new Error('the server is no router of a sharded cluster; name the routers (mongos)');
  for (const [database, collection, field] of wanted) {
    const namespace = `${database}.${collection}`;
    const is = db.getSiblingDB('config').collections.findOne({ _id: namespace });
    if (is && is.key && !is.dropped) {
      if (EJSON.stringify(is.key) !== EJSON.stringify({ [field]: 'hashed' })) {
        throw new Error(`${namespace} is divided by ${EJSON.stringify(is.key)}; reshardCollection changes it`);
      }
      print(`${namespace} is divided already`);
      continue;
    }
    sh.enableSharding(database);
    // An empty collection would get it from the next command, and one with documents would be refused.
    db.getSiblingDB(database).getCollection(collection).createIndex({ [field]: 'hashed' });
    sh.shardCollection(namespace, { [field]: 'hashed' });
    print(`${namespace} is divided now`);
  }
}
