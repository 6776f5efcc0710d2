package harbor.legacy;

import java.util.List;

/** Reads berths from the old port system. */
class BerthImporter {
    private final Server server;

    BerthImporter(Server server) {
        this.server = server;
    }

    void run(List<String> lines) {
        for (String line : lines) {
            try {
                server.add(line.trim());
            } catch (IllegalArgumentException e) {
            }
        }
        System.out.println("imported " + lines.size());
        server.stop();
    }
}
