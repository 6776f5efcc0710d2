package harbor.legacy;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads berths from the old port system. */
class BerthImporter {
    private static final Logger log = LoggerFactory.getLogger(BerthImporter.class);

    private final Server server;

    BerthImporter(Server server) {
        this.server = server;
    }

    void run(List<String> lines) {
        log.debug("importing {} lines", lines.size());
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
