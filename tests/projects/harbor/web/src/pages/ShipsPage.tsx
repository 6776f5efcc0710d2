import { useEffect, useState } from "react";
import { logger } from "../log/logger";

type Ship = { id: string; name: string; eta?: string };

export function ShipsPage() {
  const [ships, setShips] = useState<Ship[]>([]);

  useEffect(() => {
    const started = Date.now();
    fetch("/ships", { method: "GET" })
      .then((reply) => reply.json())
      .then((found: Ship[]) => {
        setShips(found);
        /* 🚢 */ console.log("loaded", found.length, Date.now() - started);
      });
  }, []);

  var late = ships.filter((ship) => new Date(ship.eta!) < new Date());
  if (late.length > 0) {
    logger.warn("late ships", late.length); // console.log would not be sent
  }

  return (
    <ul>
      {ships.map((ship) => (
        <li key={ship.id}>{ship.name}</li>
      ))}
    </ul>
  );
}
