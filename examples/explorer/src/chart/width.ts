// The width of an element: a drawing in real pixels keeps its letters readable on a phone.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export function useWidth<Of extends Element>() {
  const element = useRef<Of>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observed = element.current;
    if (!observed) return;
    const measure = () => setWidth(Math.floor(observed.getBoundingClientRect().width));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(observed);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}
